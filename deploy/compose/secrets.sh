#!/bin/sh
# Creates secrets/ with a key shared by bridge and engines, and an empty file for Twilio's auth token. Existing files are kept.
set -eu
cd "$(dirname "$0")"
# The folder excludes other users; its files must be readable for the containers' user, which is a different one.
mkdir -p secrets
chmod 700 secrets
umask 022
[ -s secrets/service_key ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >secrets/service_key
if [ ! -s secrets/twilio_auth_token ]; then
  : >secrets/twilio_auth_token
  echo "Put the auth token of the Twilio account into $(pwd)/secrets/twilio_auth_token"
fi
