#!/bin/sh
# Creates secrets/ with random keys, the certificates of the NATS servers, and an empty file for Twilio's auth token. Existing
# files are kept. Requires openssl.
set -eu
cd "$(dirname "$0")"
# The folder excludes other users; its files must be readable for the containers' users, which are different ones.
mkdir -p secrets
chmod 700 secrets
cd secrets
umask 022
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
for name in service_key fleet_key nats_password; do
  [ -s $name ] || random >$name
done
cat >nats_users.conf <<END
accounts {
  DRAGOMAN { jetstream: enabled, users: [{ user: dragoman, password: "$(cat nats_password)" }] }
}
END
if [ ! -s nats_cert.pem ]; then
  new='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl req -x509 $new -days 3650 -subj '/CN=NATS of Dragoman' -keyout nats_ca_key.pem -out nats_ca.pem 2>/dev/null
  openssl req $new -subj /CN=nats -keyout nats_key.pem -out nats.csr 2>/dev/null
  echo 'subjectAltName = DNS:nats-1, DNS:nats-2, DNS:nats-3, DNS:localhost' >nats.ext
  openssl x509 -req -in nats.csr -CA nats_ca.pem -CAkey nats_ca_key.pem -CAcreateserial -days 3650 -extfile nats.ext \
    -out nats_cert.pem 2>/dev/null
  # openssl excludes other users from its keys.
  chmod 644 nats_key.pem
  rm -f nats.csr nats.ext nats_ca.srl
  # It signs nothing else.
  rm -f nats_ca_key.pem
fi
if [ ! -s twilio_auth_token ]; then
  : >twilio_auth_token
  echo "Put the auth token of the Twilio account into $(pwd)/twilio_auth_token"
fi
