# The program with its page inside, and an engine. `docker build -t tabiya .`

FROM node:22-bookworm-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY openapi.json /src/openapi.json
COPY web ./
RUN npm run build

FROM rust:1.95-bookworm AS program
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
# What zstd is to be built with.
COPY .cargo .cargo
COPY crates crates
COPY benches benches
COPY --from=page /src/web/dist web/dist
RUN cargo build --release --locked --bin tabiya --bin pgn-import

FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates stockfish tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /data tabiya
COPY --from=program /src/target/release/tabiya /src/target/release/pgn-import /usr/local/bin/
# Debian keeps games where PATH does not look.
ENV TABIYA_ENGINE=/usr/games/stockfish
USER tabiya
WORKDIR /data
VOLUME /data
EXPOSE 8000
# There is no curl in it, and bash can ask too.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8000 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r answer <&3 && [[ $answer == *' 200 '* ]]"]
# Engines are children of ours; whoever they leave behind needs somebody to wait for it.
ENTRYPOINT ["/usr/bin/tini", "--", "tabiya"]
CMD ["serve", "--bind", "0.0.0.0:8000"]
