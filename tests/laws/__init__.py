"""Laws that every registered metric obeys, on generated text. A new metric adds no code here."""
