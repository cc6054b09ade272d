"""Experiments made of several training runs and evaluations: recipes compared, best responses, all configs trained."""
