#!/bin/sh
# Playwright starts a browser by one path, without arguments before its own.
exec "$DRAGOMAN_TEST_NODE" --disable-warning=ExperimentalWarning "$(dirname "$0")/firefox-bidi.ts" "$@"
