"""Mutation testing of rules: which small changes of a rule does no example of it notice?"""
