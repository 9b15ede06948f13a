"""What the pages of raters say, in the languages that there are. Another language is another column of this table."""

from __future__ import annotations

from collections.abc import Mapping

from tertium.core.judgement import SCALES

ENGLISH = {
    "source": "Source",
    "output": "Translation",
    "outputs": "Translations",
    "document": "Document {number} of {all}",
    "segment": "Segment {number} of {all}",
    "next": "Next",
    "back": "Back",
    "undo": "Undo",
    "done": "Done with this segment",
    "finish": "Finish",
    "progress": "{done} of {all} answered",
    "saved": "saved",
    "saving": "saving …",
    "offline": "offline, {count} kept here",
    "refused": "{count} not taken: {reason}",
    "out": "not signed in here any more: open your link again, or ask for another; {count} kept here",
    "unsafe": "this browser keeps nothing; do not close this page before it says saved",
    "missing": "Something is missing here.",
    "missing-edit": "Is it as it should be? Then press: Done with this segment.",
    "missing-errors": "Say of every error what it is; then, also where there is none, press: Done with this segment.",
    "wait": "Everything is answered. Please stay until it is saved.",
    "unset": "not set",
    "keys": "Keys",
    "keys-scale": "Digits set a score (7, 5 makes 75), arrows move it, Backspace clears it. Enter goes on. Ctrl+Z "
    "undoes.",
    "keys-choice": "Digits 1 to 5 choose, arrows move. Enter goes on. Ctrl+Z undoes.",
    "keys-ranking": "A digit gives the translation its place, equal places are ties. Enter goes on. Ctrl+Z undoes.",
    "keys-spans": "Arrows move in the text, with Ctrl by words; with Shift they select. 1 minor, 2 major, 3 "
    "critical marks "
    "what is selected, Delete unmarks. Tab goes on to the score. Enter goes on. Ctrl+Z undoes.",
    "keys-edit": "Tab goes to the text. Ctrl+Enter: done with this segment. Ctrl+Z undoes inside the text.",
    "da100": "How well does the translation say what the source says?",
    "sqm100": "How good is the translation?",
    "adequacy": "How much of the meaning of the source is there?",
    "fluency": "How good is the language of the translation?",
    "rank": "Place (1 is best; equal places are ties)",
    "esa": "With these errors in mind: how good is the translation as a whole?",
    "mark-all": "Mark every error, in the translation, or in the source what was left out.",
    "hter": "Mend the translation with as few changes as you can.",
    "minor": "minor",
    "major": "major",
    "critical": "critical",
    "mark": "Mark what is selected as",
    "errors": "Marked errors",
    "category": "What is it?",
    "remove": "Remove",
    "no-errors": "none yet",
    "in-source": "in the source",
    "edit": "Translation, to be mended",
    "script": "This page needs JavaScript to keep what you say.",
    "batches": "Your work",
    "batch": "Part {number}",
    "start": "Start",
    "continue": "Continue",
    "look": "Look at it again",
    "take": "Take the next part",
    "nothing": "There is nothing to do for you at the moment. Thank you.",
    "welcome": "Thank you for helping. What you say is saved as you go: you can stop at any time and come back by "
    "the same "
    "link.",
    "thanks": "Thank you, this part is done.",
    "code": "Your completion code:",
    "not-done": "Not answered yet in this part: {count}.",
    "more": "Go on",
    "overview": "Overview",
    "theme": "Colours",
    "tutorial": "Try it first",
    "early": "This campaign begins {time}.",
    "over": "This campaign ended {time}. Nothing more is taken. Thank you.",
    "leave": "Sign out",
    "leave-waits": "not signed out: {count} kept here must be saved first",
    "left": "You are signed out. Nothing of yours is left in this browser; your link lets you in again.",
    "see-code": "Completion code",
    "expected": "Expected: {what}.",
    "as-expected": "As expected: {what}.",
    "no-errors-expected": "no marked error",
    "unheard": "The server cannot be reached; press Enter again.",
    "skip": "Skip to the content",
    "no-link": "This link is not valid, or not any more. Ask whoever sent it to you for another.",
    "no-session": "Open the link that was sent to you. It may also have been revoked.",
    "other-session": "This page is another rater's. Open your own link again.",
    "no-dashboard": "Open the address of the dashboard that tertium human serve printed.",
    "guesses": "Too many links that do not exist were tried from here. Wait a minute.",
    "no-item": "There is no such part of your work.",
    "no-page": "There is no such page.",
}
GERMAN = {
    "source": "Quelle",
    "output": "Übersetzung",
    "outputs": "Übersetzungen",
    "document": "Dokument {number} von {all}",
    "segment": "Segment {number} von {all}",
    "next": "Weiter",
    "back": "Zurück",
    "undo": "Rückgängig",
    "done": "Segment fertig",
    "finish": "Abschließen",
    "progress": "{done} von {all} beantwortet",
    "saved": "gespeichert",
    "saving": "wird gespeichert …",
    "offline": "offline, {count} hier aufbewahrt",
    "refused": "{count} nicht angenommen: {reason}",
    "out": "hier nicht mehr angemeldet: bitte den Link noch einmal öffnen, oder um einen neuen bitten; {count} hier "
    "aufbewahrt",
    "unsafe": "dieser Browser bewahrt nichts auf; bitte die Seite offen lassen, bis alles gespeichert ist",
    "missing": "Hier fehlt noch etwas.",
    "missing-edit": "Ist alles, wie es sein soll? Dann bitte: Segment fertig.",
    "missing-errors": "Bitte von jedem Fehler sagen, was er ist; dann, auch wo es keinen gibt: Segment fertig.",
    "wait": "Alles ist beantwortet. Bitte warten, bis es gespeichert ist.",
    "unset": "nicht gesetzt",
    "keys": "Tasten",
    "keys-scale": "Ziffern setzen einen Wert (7, 5 ergibt 75), Pfeile verschieben ihn, Rücktaste löscht ihn. Enter "
    "geht "
    "weiter. Strg+Z macht rückgängig.",
    "keys-choice": "Ziffern 1 bis 5 wählen, Pfeile wechseln. Enter geht weiter. Strg+Z macht rückgängig.",
    "keys-ranking": "Eine Ziffer gibt der Übersetzung ihren Platz, gleiche Plätze sind erlaubt. Enter geht weiter. "
    "Strg+Z "
    "macht rückgängig.",
    "keys-spans": "Pfeile gehen durch den Text, mit Strg wortweise; mit Umschalt wählen sie aus. 1 leicht, 2 schwer, 3 "
    "kritisch markiert die Auswahl, Entf hebt auf. Tab geht zur Bewertung. Enter geht weiter. Strg+Z macht rückgängig.",
    "keys-edit": "Tab geht in den Text. Strg+Enter: Segment fertig. Strg+Z macht im Text rückgängig.",
    "da100": "Wie gut sagt die Übersetzung, was die Quelle sagt?",
    "sqm100": "Wie gut ist die Übersetzung?",
    "adequacy": "Wie viel vom Sinn der Quelle ist da?",
    "fluency": "Wie gut ist die Sprache der Übersetzung?",
    "rank": "Platz (1 ist der beste; gleiche Plätze sind erlaubt)",
    "esa": "Mit diesen Fehlern vor Augen: Wie gut ist die Übersetzung im Ganzen?",
    "mark-all": "Bitte jeden Fehler markieren, in der Übersetzung oder, wo etwas ausgelassen ist, in der Quelle.",
    "hter": "Bitte die Übersetzung mit möglichst wenigen Änderungen verbessern.",
    "minor": "leicht",
    "major": "schwer",
    "critical": "kritisch",
    "mark": "Auswahl markieren als",
    "errors": "Markierte Fehler",
    "category": "Was ist es?",
    "remove": "Entfernen",
    "no-errors": "noch keine",
    "in-source": "in der Quelle",
    "edit": "Übersetzung zum Verbessern",
    "script": "Diese Seite braucht JavaScript, um Antworten aufzubewahren.",
    "batches": "Ihre Aufgaben",
    "batch": "Teil {number}",
    "start": "Anfangen",
    "continue": "Fortsetzen",
    "look": "Noch einmal ansehen",
    "take": "Nächsten Teil holen",
    "nothing": "Im Augenblick ist für Sie nichts zu tun. Danke.",
    "welcome": "Danke für die Hilfe. Jede Antwort wird gleich gespeichert: Sie können jederzeit aufhören und über "
    "denselben "
    "Link weitermachen.",
    "thanks": "Danke, dieser Teil ist fertig.",
    "code": "Ihr Abschlusscode:",
    "not-done": "In diesem Teil noch nicht beantwortet: {count}.",
    "more": "Weiter",
    "overview": "Übersicht",
    "theme": "Farben",
    "tutorial": "Zuerst ausprobieren",
    "early": "Diese Kampagne beginnt {time}.",
    "over": "Diese Kampagne endete {time}. Es wird nichts mehr angenommen. Danke.",
    "leave": "Abmelden",
    "leave-waits": "nicht abgemeldet: {count} hier aufbewahrt, müssen erst gespeichert werden",
    "left": "Sie sind abgemeldet. In diesem Browser ist nichts mehr von Ihnen; Ihr Link lässt Sie wieder ein.",
    "see-code": "Abschlusscode",
    "expected": "Erwartet: {what}.",
    "as-expected": "Wie erwartet: {what}.",
    "no-errors-expected": "kein markierter Fehler",
    "unheard": "Der Server ist nicht erreichbar; bitte noch einmal Enter drücken.",
    "skip": "Zum Inhalt",
    "no-link": "Dieser Link gilt nicht, oder nicht mehr. Wer ihn geschickt hat, kann einen neuen schicken.",
    "no-session": "Bitte den Link öffnen, der geschickt wurde. Er kann auch widerrufen worden sein.",
    "other-session": "Diese Seite gehört jemand anderem. Bitte den eigenen Link noch einmal öffnen.",
    "no-dashboard": "Bitte die Adresse der Übersicht öffnen, die tertium human serve ausgegeben hat.",
    "guesses": "Von hier wurden zu viele Links versucht, die es nicht gibt. Bitte eine Minute warten.",
    "no-item": "Diesen Teil gibt es nicht, oder er ist nicht Ihrer.",
    "no-page": "Diese Seite gibt es nicht.",
}
WORDS: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "de": GERMAN}
NAMES = {"en": "English", "de": "Deutsch"}

# What the points of scales are called; English is in SCALES.
GERMAN_LABELS: Mapping[str, Mapping[float, str]] = {
    "adequacy": {1: "kein Sinn", 2: "wenig", 3: "viel", 4: "das meiste", 5: "der ganze Sinn"},
    "fluency": {1: "unverständlich", 2: "holprig", 3: "nicht muttersprachlich", 4: "gut", 5: "fehlerlos"},
    "da100": {0: "gar nicht", 100: "vollkommen"},
    "sqm100": {
        0: "kein Sinn erhalten",
        17: "fast keiner",
        33: "etwas Sinn erhalten",
        50: "etwa die Hälfte",
        67: "das meiste erhalten, wenige Grammatikfehler",
        83: "fast alles",
        100: "Sinn und Grammatik vollkommen",
    },
    "esa": {0: "kein Sinn erhalten", 100: "vollkommen"},
}
LABELS: Mapping[str, Mapping[str, Mapping[float, str]]] = {"de": GERMAN_LABELS}


def labels(scale: str, language: str) -> Mapping[float, str]:
    """The named points of a scale, in a rater's language."""
    return LABELS.get(language, {}).get(scale, SCALES[scale].labels)


def choose_language(asked: str, accepted: str) -> str:
    """The language that was asked for; else the first that the browser prefers and that there is; else English."""
    if asked in WORDS:
        return asked
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted.split(",")[:20]):
        name, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            quality = 0.0
        wanted.append((-quality, place, name.strip().lower().partition("-")[0]))
    return next((name for quality, _, name in sorted(wanted) if name in WORDS and quality < 0), "en")
