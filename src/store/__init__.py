"""Results that last from one day to another, under keys of all that they depend on."""
