"""One living thing: what lives, how it is born, driven and told, be it in a World or in a Herd; both stand on this."""
