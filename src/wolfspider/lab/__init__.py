"""The lab: fair, repeatable comparisons of policies on recorded webs."""
