"""Write the library that draws charts as one script: Vega, Vega-Lite and Vega-Embed, out of vl-convert-python.

CMake runs this when tertium is built. So a page needs no vl-convert-python, which is larger than all of tertium.

python tools/vega/bundle.py vega.js
"""

import sys
from pathlib import Path

import vl_convert

MAJOR = 6  # of Vega-Lite: the one for which Altair 6 writes charts


def main(path: str) -> None:
    """The newest one; what was written for an earlier one of the same major version it draws, too."""
    minors = [series.split(".")[1] for series in vl_convert.get_vegalite_versions() if series.startswith(f"{MAJOR}.")]
    series = f"{MAJOR}.{max(map(int, minors))}"
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=series)
    vega, embed = vl_convert.get_vega_version(), vl_convert.get_vega_embed_version()
    parts = f"Vega-Lite {series}, Vega {vega}, Vega-Embed {embed} and what they use"
    text = f"/* {parts}; licences: tools/vega/LICENSES of tertium */\n{script}"
    # It stands inside an element of a page, which these would end or hide.
    text = text.replace("</script", r"<\/script").replace("<!--", r"<\!--")
    Path(path).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
