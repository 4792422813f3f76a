#!/bin/sh
# Makes secrets/ with a key between bridge and engines, and an empty file for the auth token of Twilio. What is there stays.
set -eu
cd "$(dirname "$0")"
# The folder keeps others out; the files in it must be readable for the user in the containers, who is another one.
mkdir -p secrets
chmod 700 secrets
umask 022
[ -s secrets/service_key ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >secrets/service_key
if [ ! -s secrets/twilio_auth_token ]; then
  : >secrets/twilio_auth_token
  echo "Put the auth token of the Twilio account into $(pwd)/secrets/twilio_auth_token"
fi
