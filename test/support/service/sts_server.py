"""A server of the service interface on another Socket.IO implementation: python-socketio on aiohttp.

Prints its port. Acknowledges each fragment, and answers every tenth with a result whose audio are the first bytes of
that fragment, followed by `endSynth`.
"""

import asyncio

import socketio
from aiohttp import web

server = socketio.AsyncServer(async_mode="aiohttp", transports=["websocket"], cors_allowed_origins="*")
app = web.Application()
server.attach(app)
counts = {}


@server.on("connect", namespace="/sts")
async def connect(sid, environ, auth):
    if not auth or auth.get("token") != "key":
        raise socketio.exceptions.ConnectionRefusedError({"code": "unauthorized", "message": "wrong key"})
    counts[sid] = 0
    await server.emit("connected", {"languageIdSource": "en-us"}, to=sid, namespace="/sts")
    await server.emit("start", True, to=sid, namespace="/sts")


@server.on("write_stream", namespace="/sts")
async def write_stream(sid, data):
    counts[sid] += 1
    if counts[sid] % 10 == 0:
        result = {"text": f"{counts[sid]} fragments", "translation": "¡Así!", "file": {"data": data[:4]}}
        await server.emit("result", result, to=sid, namespace="/sts")
        await server.emit("endSynth", {}, to=sid, namespace="/sts")
    return True


async def main():
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
