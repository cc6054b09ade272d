# The command `spygames` on CPUs. Untried: it was written without a container engine.
#
#   docker build --build-arg PIP_EXTRA_INDEX_URL=... -t spygames .     # the index of torch's CPU builds, as pytorch.org names it
#   docker run --rm -it spygames play --against agent_avenue/simple-2
FROM python:3.12-slim

# Without it PyPI's torch comes with CUDA, some gigabytes.
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

USER player
WORKDIR /home/player
# Machine code of the games, kept between runs where this is a volume.
ENV NUMBA_CACHE_DIR=/home/player/.cache/numba
ENTRYPOINT ["spygames"]
CMD ["--help"]
