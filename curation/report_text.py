"""Turn a case report into plain text: remove markup, scripts and navigation from HTML."""

import re

from bs4 import BeautifulSoup

_BLOCKS = "p div section article li tr h1 h2 h3 h4 h5 h6 table ul ol dd dt figcaption blockquote br"
_UNREAD = "script style noscript template head nav footer"
_MARKUP = re.compile(r"<(?:!doctype|html|body|p|div|article|section|h[1-6]|br)\b", re.IGNORECASE)


def report_text(content: str) -> str:
    """Return the text of a report, HTML or plain; each block of HTML becomes a separate line.

    The cells of a table's row stand beside each other, with a space between them.

    >>> report_text("<p>A 3&nbsp;cm plaque</p><p>was <b>red</b>.</p>")
    'A 3 cm plaque\\nwas red.'
    """
    if not _MARKUP.search(content):
        return content.strip()
    page = BeautifulSoup(content, "html.parser")
    for element in page(_UNREAD.split()):
        element.decompose()
    for element in page(["td", "th"]):
        element.insert_after(" ")
    for element in page(_BLOCKS.split()):
        element.insert_before("\n")
        element.insert_after("\n")
    lines = (" ".join(line.split()) for line in page.get_text().splitlines())
    return "\n".join(line for line in lines if line)
