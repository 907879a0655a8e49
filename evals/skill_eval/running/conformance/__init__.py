"""The conformance kit: probes that any adapter author can put an adapter to."""
