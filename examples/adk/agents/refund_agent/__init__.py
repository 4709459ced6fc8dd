from . import agent as agent  # noqa: TID252  # `adk eval` gives the folder another name
