"""Files of numbers, distrusted: NPZ archives and grey PNG pictures, whose sizes are known before anything is unpacked."""
