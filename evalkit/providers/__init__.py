"""Talking to model servers: clients, retry, rate limits, the reply cache. The only room that knows network, litellm, diskcache."""
