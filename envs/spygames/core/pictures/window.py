"""The display for `render_mode="human"`: one updating output in a notebook, else a pygame window."""

import os
import sys
from importlib import import_module
from typing import Any

from gymnasium.error import DependencyNotInstalled

from spygames.core.basics.extras import how_to_install
from spygames.core.pictures.picture import Picture
from spygames.core.pictures.raster import pixels


class Window:
    """A display that shows one picture after another in the same place.

    Args:
        title: the title of the window.
        fps: maximum pictures per second; in a window, `show` waits accordingly. A notebook does not wait.
    """

    def __init__(self, title: str, fps: float):
        self.title, self.fps = title, fps
        self._display: Any = None  # of the notebook
        self._screen: Any = None  # of pygame
        self._clock: Any = None

    def show(self, picture: Picture) -> None:
        """Show a picture in place of the previous one.

        Raises:
            DependencyNotInstalled: this is not a notebook, and the extra `window` is not installed.
        """
        if in_notebook():
            self._show_in_notebook(picture)
        else:
            self._show_on_screen(picture)

    def close(self) -> None:
        """Close the window; in a notebook the last picture stays. `show` opens a new window."""
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
            raise DependencyNotInstalled(f"a window needs pygame: {how_to_install('window')}") from error
        frame = pixels(picture)
        height, width = frame.shape[:2]
        if self._screen is None or not pygame.display.get_init():  # pygame has one display, which another may close
            pygame.display.init()  # without sound, which takes half a second
            self._screen = pygame.display.set_mode((width, height))
            pygame.display.set_caption(self.title)
            self._clock = pygame.time.Clock()
        self._screen.blit(pygame.image.frombuffer(frame.tobytes(), (width, height), "RGB"), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self.fps)


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook. IPython in a terminal does not count."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
