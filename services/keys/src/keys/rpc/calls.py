"""How a call of AdminService runs: in a worker thread, in a transaction of its caller, who needs a role."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from google.protobuf.message import Message

from keys.admins.access_control import AccessControl, Credentials
from keys.admins.hashing_queue import HashingQueue
from keys.admins.passwords import Passwords
from keys.admins.provider import Provider
from keys.rpc import rules
from keys.store.change import LAST_LEASE_S, Change, Transaction
from keys.values.company_numbers import Seller
from keys.values.policy import AssistantMode, Quota
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc
from servicekit.workers import Workers

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, eq=False)
class Calls(admin_pb2_grpc.AdminServiceServicer):
    """A group of the calls of AdminService: the parts that they use, the defaults of a new key, and the seller.
    `hashing` has its own workers, so that sign-ins do not delay partners' requests.
    """

    access_control: AccessControl
    passwords: Passwords
    workers: Workers
    hashing: HashingQueue
    default_quota: Quota
    default_mode: AssistantMode
    seller: Seller | None = None
    provider: Provider | None = None
    has_webhook_key: bool = False


class CallerRequest(Protocol):
    @property
    def caller(self) -> admin_pb2.Caller: ...


def caller(request: CallerRequest) -> Credentials:
    """Returns the credentials of a request. Their check validates the request."""
    message = request.caller
    assert isinstance(request, Message)  # noqa: S101 (each request is one)
    check = partial(rules.check, request)
    return Credentials(message.session_token, message.csrf_token, message.bearer_token, message.client_address, check)


ServicerT = TypeVar("ServicerT", bound=Calls)
RequestT = TypeVar("RequestT", bound=CallerRequest)
ResponseT = TypeVar("ResponseT")
TransactionT = TypeVar("TransactionT", bound=Transaction)
_Handler = Callable[[ServicerT, TransactionT, RequestT], ResponseT]
_Call = Callable[[ServicerT, RequestT, "Context"], Awaitable[ResponseT]]


def reading(
    at_least: Role = Role.VIEWER,
) -> Callable[[_Handler[ServicerT, Transaction, RequestT, ResponseT]], _Call[ServicerT, RequestT, ResponseT]]:
    """Makes a function a call that reads. Its caller needs the role."""
    return _call(lambda servicer, request: servicer.access_control.reading(caller(request), at_least))


def changing(
    at_least: Role,
) -> Callable[[_Handler[ServicerT, Change, RequestT, ResponseT]], _Call[ServicerT, RequestT, ResponseT]]:
    """Makes a function a call that changes records. Its caller needs the role. The change commits before the answer,
    which waits until no edge acts on earlier terms.
    """
    return _call(lambda servicer, request: servicer.access_control.changing(caller(request), at_least))


def _call(
    begin: Callable[[ServicerT, RequestT], AbstractContextManager[TransactionT]],
) -> Callable[[_Handler[ServicerT, TransactionT, RequestT, ResponseT]], _Call[ServicerT, RequestT, ResponseT]]:
    def decorate(
        handle: _Handler[ServicerT, TransactionT, RequestT, ResponseT],
    ) -> _Call[ServicerT, RequestT, ResponseT]:
        def run(servicer: ServicerT, request: RequestT) -> tuple[ResponseT, TransactionT]:
            with begin(servicer, request) as transaction:
                return handle(servicer, transaction, request), transaction

        async def call(servicer: ServicerT, request: RequestT, context: Context) -> ResponseT:
            response, transaction = await servicer.workers.run(run, servicer, request)
            if isinstance(transaction, Change) and transaction.narrowed:
                await asyncio.sleep(LAST_LEASE_S)
            return response

        return call

    return decorate
