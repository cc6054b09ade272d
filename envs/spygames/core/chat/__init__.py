"""Language models as players, through any server that speaks the OpenAI chat form."""
