"""What is known before a hunt: maps of webs with their targets, and what links there are worth.

Map (pages, targets, graph) → values of pages → a policy's `train` → Model → the policy
"""
