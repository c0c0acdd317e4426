"""Mutual TLS between services: a folder with the service's certificate and key, and with the authorities of its peers.

The files have the names of a Kubernetes secret: `tls.crt`, `tls.key` and `ca.crt`. The last may contain several
authorities while one replaces another. The name in a certificate is that of the service, not of a host.
"""

import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from cryptography import x509
from prometheus_client import Gauge

NAMES = ("tls.crt", "tls.key", "ca.crt")

_expires = Gauge(
    "tls_certificate_expires_timestamp_seconds",
    "End of the certificate for partners, or of that for calls between services or its last authority.",
    ["use"],
)


class UnusableCertificate(OSError):
    """The files of a certificate do not belong together, or a peer would refuse them."""


class _Content(NamedTuple):
    certificate: bytes
    key: bytes
    authorities: bytes


class Certificates:
    """The content of a folder. Raises OSError if it cannot be used, for example UnusableCertificate if the certificate
    is expired or not signed by a trusted authority.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listeners: list[Callable[[], None]] = []
        """They are called after the content has changed."""
        self._content, self.name = _read(folder)

    @property
    def files(self) -> list[Path]:
        return [self.folder / name for name in NAMES]

    def read(self) -> None:
        """Reads the folder again. Keeps what it has if it raises, as the constructor does."""
        content, self.name = _read(self.folder)
        if content != self._content:
            self._content = content
            for listener in self.listeners:
                listener()

    def server_credentials(self) -> grpc.ServerCredentials:
        """New connections get the content of that time. Clients must have a certificate."""
        content: _Content | None = None

        def configuration() -> Any:
            """The configuration if the content has changed."""
            nonlocal content
            if content is self._content:
                return None
            content = self._content
            pairs = [(content.key, content.certificate)]
            return grpc.ssl_server_certificate_configuration(pairs, content.authorities)

        return grpc.dynamic_ssl_server_credentials(configuration(), configuration, require_client_authentication=True)

    def channel_credentials(self) -> grpc.ChannelCredentials:
        """Credentials with the current content. They do not follow later changes."""
        content = self._content
        return grpc.ssl_channel_credentials(content.authorities, content.key, content.certificate)


def sample_certificate(path: Path) -> None:
    """Sets the metric of the certificate for partners, from its PEM file."""
    _expires.labels("partners").set(x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc.timestamp())


def channel_options(name: str) -> list[tuple[str, Any]]:
    """The options of a channel to a service whose certificate must have this name."""
    return [("grpc.ssl_target_name_override", name)]


def _read(folder: Path) -> tuple[_Content, str]:
    content = _contents(folder)
    _verify(folder, content.authorities)
    if content != _contents(folder):
        raise UnusableCertificate("the files changed while they were read")
    certificate = x509.load_pem_x509_certificate(content.certificate)
    names = _dns_names(certificate)
    if len(names) != 1:
        raise UnusableCertificate(f"the certificate in {folder} must have one DNS name, that of its service")
    authorities = x509.load_pem_x509_certificates(content.authorities)
    last_authority = max(authority.not_valid_after_utc for authority in authorities)
    _expires.labels("services").set(min(certificate.not_valid_after_utc, last_authority).timestamp())
    return content, names[0]


def _contents(folder: Path) -> _Content:
    return _Content(*((folder / name).read_bytes() for name in NAMES))


def _dns_names(certificate: x509.Certificate) -> list[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return names.get_values_for_type(x509.DNSName)


def _verify(folder: Path, authorities: bytes) -> None:
    """Verifies the certificate in a handshake, so that a peer accepts exactly what is accepted here."""
    server, peer = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    peer.check_hostname = False
    to_server, to_peer = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        server.load_cert_chain(folder / NAMES[0], folder / NAMES[1], password=_no_password)
        peer.load_verify_locations(cadata=authorities.decode("ascii"))
        ends = (peer.wrap_bio(to_peer, to_server), server.wrap_bio(to_server, to_peer, server_side=True))
        for end in (*ends, *ends):
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    except ssl.SSLError as error:
        raise UnusableCertificate(f"the certificate in {folder} cannot be used: {error}") from None


def _no_password() -> str:
    """Otherwise OpenSSL asks for it on the terminal."""
    raise ssl.SSLError("the key has a password")
