"""Trials: an agent run again and again from the same state, with nothing lost and nothing counted twice."""
