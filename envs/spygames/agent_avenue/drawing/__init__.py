"""The picture of Agent Avenue, part by part."""
