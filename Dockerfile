# The server, from the files of a release:
#
#     docker build -t abeval <directory of the release>
#
# Commands that a model writes run under bubblewrap, which a container forbids unless it is told otherwise:
#
#     docker run -p 127.0.0.1:8080:8080 -v abeval:/var/lib/abeval -e ANTHROPIC_API_KEY \
#       --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined abeval
#
# docs/docker.md says why, how to open less, and what happens without.

ARG BASE=debian:bookworm-slim

FROM ${BASE} AS installed
COPY install.sh SHA256SUMS abeval-*-linux-*.tar.gz /release/
RUN sh /release/install.sh --from /release --to /installed

FROM ${BASE}
# bubblewrap and prlimit (util-linux) are the sandbox; slirp4netns and ip are the network of its own that `network: open` gives.
# git reads fixtures from commits. tini reaps what commands leave when there is no sandbox.
RUN apt-get update -qq \
  && apt-get install -y -qq --no-install-recommends \
    bubblewrap ca-certificates curl git iproute2 slirp4netns tini util-linux \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --create-home abeval \
  && install -d -m 0700 -o abeval -g abeval /var/lib/abeval
COPY --from=installed /installed /usr/local

USER 10001:10001
WORKDIR /home/abeval
VOLUME /var/lib/abeval
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8080/api/health"]
ENTRYPOINT ["tini", "--", "abeval"]
CMD ["serve", "--addr", "0.0.0.0:8080", "--state-dir", "/var/lib/abeval", "--web-dir", "/usr/local/share/abeval/ui", "--scenarios-dir", "/usr/local/share/abeval/scenarios"]
