"""Routers whose handlers take the request and nothing else."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response


class PlainRoute(APIRoute):
    """Calls its handler directly: there is nothing to inject, and looking for it costs more than most handlers do."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return handler


def new_router() -> APIRouter:
    return APIRouter(route_class=PlainRoute, redirect_slashes=False)
