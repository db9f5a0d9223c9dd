# SPDX-License-Identifier: Apache-2.0
"""What an OpenMP program does, whichever debugger it is looked at with. Imports no debugger."""
