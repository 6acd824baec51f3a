"""Files with faults made by chance: each must end in a result or a ZoophyteError, soon and in little memory."""
