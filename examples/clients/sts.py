"""A client of the interface in Python, with python-socketio: speaks a 16 kHz WAV file and prints every event as JSON.

    apt install python3-socketio python3-websocket
    python3 examples/clients/sts.py http://127.0.0.1:4000 key file.wav [from] [to]
"""
import json
import sys
import threading
import urllib.parse
import urllib.request

import socketio

url, key, file = sys.argv[1:4]
source, target = (sys.argv[4:] + ["en-us", "es-es"])[:2]
HEADER_BYTES = 44
FRAGMENT_BYTES = 3200
SILENCE_FRAGMENTS = 12

lock = threading.Lock()


def show(event, payload=None):
    with lock:
        print(json.dumps([event, payload]), flush=True)


request = urllib.request.Request(f"{url}/api/languages", headers={"x-api-key": key})
with urllib.request.urlopen(request) as reply:
    show("languages", len(json.load(reply)))

query = urllib.parse.urlencode({
    "languageIdSource": source,
    "languageIdTarget": target,
    "sendAudio": json.dumps({"broadcastVia": "chunk", "codec": "linear16", "sampleRate": 16000}),
    "receiveAudio": json.dumps({"obtainVia": "chunk", "codec": "mp3", "sampleRate": 16000, "mode": "block"}),
})
client = socketio.Client(reconnection=False)
started = threading.Event()
spoken = threading.Event()


@client.on("connect", namespace="/sts")
def connect():
    show("connect")


@client.on("connected", namespace="/sts")
def connected(parameters):
    show("connected", parameters)


@client.on("start", namespace="/sts")
def start(ready):
    show("start", ready)
    started.set()


@client.on("result", namespace="/sts")
def result(said):
    voice = said.get("file") or {}
    show("result", {
        "text": said.get("text"),
        "translation": said.get("translation"),
        "bytes": len(voice.get("data", b"")),
    })


@client.on("endSynth", namespace="/sts")
def end_synth(_end):
    show("endSynth")
    spoken.set()


@client.on("error", namespace="/sts")
def error(body):
    show("error", body)
    spoken.set()


@client.on("connect_error", namespace="/sts")
def connect_error(data):
    show("connect_error", data)


client.connect(f"{url}?{query}", transports=["websocket"], auth={"token": key}, namespaces=["/sts"])
if not started.wait(10):
    sys.exit("no start")
with open(file, "rb") as wav:
    audio = wav.read()[HEADER_BYTES:]
taken = 0
for at in range(0, len(audio), FRAGMENT_BYTES):
    if client.call("write_stream", audio[at:at + FRAGMENT_BYTES], namespace="/sts", timeout=10):
        taken += 1
for _ in range(SILENCE_FRAGMENTS):
    client.call("write_stream", bytes(FRAGMENT_BYTES), namespace="/sts", timeout=10)
show("taken", taken)
spoken.wait(30)
client.disconnect()
show("disconnect")
