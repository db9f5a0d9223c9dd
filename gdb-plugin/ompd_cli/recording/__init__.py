# SPDX-License-Identifier: Apache-2.0
"""`ompd record', `ompd top' and `ompd show': where the time goes. Without GDB."""
