"""The methods that each caller may use. All others are refused."""

ASSISTANT_SERVICE = {"edge": ("DivideLand", "StreamDivideLand", "WriteDxf")}
