# The command `spygames` on CPUs. Untried: it was written without a container engine.
#
#   docker build --build-arg PIP_EXTRA_INDEX_URL=... -t spygames .     # the index of torch's CPU builds, as pytorch.org names it
#   docker run --rm -it spygames play --against agent_avenue/simple-2
FROM python:3.12-slim

# Without it PyPI's torch comes with CUDA: 3 GB to download instead of 0.4.
ARG PIP_EXTRA_INDEX_URL=

# matplotlib and Numba need no compiler; the OpenMP runtime comes with torch.
RUN useradd --create-home player
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE CITATION.cff ./
COPY envs envs
COPY training training
COPY app app
COPY configs configs
COPY checkpoints checkpoints
RUN PIP_EXTRA_INDEX_URL="$PIP_EXTRA_INDEX_URL" pip install --no-cache-dir -c constraints.txt '.[training,render]' && rm -rf /src/*

# The folders that may be volumes, which take owner and mode from here. Any user may write them: `docker run --user 1234`.
RUN install -d -m 0777 -o player -g player /home/player /home/player/runs /home/player/.cache /home/player/.cache/numba

USER player
WORKDIR /home/player
# A user that the image does not know has no home and no name otherwise. Machine code of the games is kept in the cache.
ENV HOME=/home/player LOGNAME=player NUMBA_CACHE_DIR=/home/player/.cache/numba
ENTRYPOINT ["spygames"]
CMD ["--help"]
