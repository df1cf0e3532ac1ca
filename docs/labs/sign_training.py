# %% [markdown]
# # Training through sign, as an experiment
