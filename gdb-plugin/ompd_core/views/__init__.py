# SPDX-License-Identifier: Apache-2.0
"""How is the model shown? As text for people and as JSON for programs. Knows neither GDB nor
libompd."""
