"""Environments for PettingZoo and Gymnasium: AEC, one seat, and vectors of one seat."""
