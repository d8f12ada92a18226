"""Every statement of Switchboard, in named .sql files by area, and the numbered migrations. No Python but this."""
