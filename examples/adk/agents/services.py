"""Loaded by `adk web` when it starts."""

import passhat_adk

passhat_adk.register()
