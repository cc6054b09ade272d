"""Where `render_mode="human"` shows pictures: one display in a notebook that changes, else a window of pygame."""

import os
import sys
from importlib import import_module
from typing import Any

from gymnasium.error import DependencyNotInstalled

from spygames.core.pictures.picture import Picture
from spygames.core.pictures.raster import pixels


class Window:
    """Shows one picture after the other in the same place.

    Args:
        title: what a window is called.
        fps: pictures a second that a window shows at most; `show` waits for the next one's time. A notebook does not
            wait.
    """

    def __init__(self, title: str, fps: float):
        self.title, self.fps = title, fps
        self._display: Any = None  # of the notebook
        self._screen: Any = None  # of pygame
        self._clock: Any = None

    def show(self, picture: Picture) -> None:
        """Shows a picture in place of the one before.

        DependencyNotInstalled says what to install where this is no notebook and the extra `window` is missing.
        """
        if in_notebook():
            self._show_in_notebook(picture)
        else:
            self._show_on_screen(picture)

    def close(self) -> None:
        """Closes the window; the last picture stays in a notebook. `show` opens another one."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
        self._screen = self._display = None

    def _show_in_notebook(self, picture: Picture) -> None:
        if self._display is None:
            self._display = import_module("IPython.display").display(picture, display_id=True)
        else:
            self._display.update(picture)

    def _show_on_screen(self, picture: Picture) -> None:
        try:
            os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
            import pygame
        except ImportError as error:
            raise DependencyNotInstalled("a window needs pygame: pip install 'spygames[window]'") from error
        frame = pixels(picture)
        height, width = frame.shape[:2]
        if self._screen is None:
            pygame.display.init()  # and no sound, which takes half a second
            self._screen = pygame.display.set_mode((width, height))
            pygame.display.set_caption(self.title)
            self._clock = pygame.time.Clock()
        self._screen.blit(pygame.image.frombuffer(frame.tobytes(), (width, height), "RGB"), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self.fps)


def in_notebook() -> bool:
    """Whether a notebook shows what is displayed: its kernel, not IPython in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
