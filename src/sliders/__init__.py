"""Sliders: what a program prints and draws for other values of its constants."""
