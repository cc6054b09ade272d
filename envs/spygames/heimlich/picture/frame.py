"""Layout of the picture: position and size of its parts."""

BOARD_X, BOARD_Y, CELL = 16, 54, 53  # score track: 12 x 11 cells around the town
PLOT_W, PLOT_H = 10 * CELL / 4, 9 * CELL / 4
STAGE_X, STAGE_Y, STAGE_W, STAGE_H = BOARD_X + CELL + PLOT_W, BOARD_Y + CELL + PLOT_H, 2 * PLOT_W, 2 * PLOT_H
SIDE_X, SIDE_W = 668, 516  # notebook and panels
OWN_Y, OWN_H = 648, 238  # the viewer's passport and cards
BOTTOM = OWN_Y + OWN_H
PATH, ROAD = "#e4d8ba", "#3a4a58"
