"""The SDK clients of Bedrock and Vertex, which sign requests with the credentials of an account."""

import asyncio
import re
import threading
from collections.abc import Mapping
from typing import Any

from ...errors import AuthenticationFault, UsageError
from ..engine.models import (
    account_of_environment,
    has_own_server,
    key_of_environment,
    region_of,
    wire_of,
)
from ..judge import JudgeSpec

NO_KEY = "not-needed"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_REFRESHING = threading.Lock()


def cloud_client(
    spec: JudgeSpec, url: str, http: Mapping[str, Any], shared: Mapping[str, Any]
) -> Any:
    """Return the client of a model on Bedrock or Vertex. Raises AuthenticationFault, UsageError.

    http: the arguments of its connections; shared: those that all SDK clients have.
    """
    token = account_of_environment(spec.provider)
    if not has_own_server(spec.provider, spec.base_url):
        token = key_of_environment(spec.provider, spec.base_url) or NO_KEY
    build = _bedrock if spec.provider == "bedrock" else _vertex
    return build(spec, url, token, http, shared)


def _bedrock(
    spec: JudgeSpec, url: str, token: str, http: Mapping[str, Any], shared: Mapping[str, Any]
) -> Any:
    import anthropic

    region = region_of(url)
    if not token:
        _check_account(spec, region)
    client = anthropic.DefaultAsyncHttpxClient(base_url=url, **http)
    return anthropic.AsyncAnthropicBedrock(
        aws_region=region, api_key=token or None, http_client=client, **shared
    )


def _check_account(spec: JudgeSpec, region: str) -> None:
    import boto3

    if not region:
        raise UsageError(f"{spec.label} needs a region: set the environment variable AWS_REGION")
    if boto3.Session(region_name=region).get_credentials() is None:
        raise AuthenticationFault(
            f"{spec.label} needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
            "AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK"
        )


def _vertex(
    spec: JudgeSpec, url: str, token: str, http: Mapping[str, Any], shared: Mapping[str, Any]
) -> Any:
    account = None if token else _google_account(spec)
    if wire_of(spec.provider, spec.model) == "openai":
        import openai

        async def key() -> str:
            return token or await asyncio.to_thread(_fresh_token, account)

        web = openai.DefaultAsyncHttpxClient(**http)
        return openai.AsyncOpenAI(api_key=key, http_client=web, **shared)
    import anthropic

    place = re.search(r"/projects/([^/]+)/locations/([^/]+)$", url)
    if place is None:
        raise UsageError(
            f"{spec.label}: the address of a model of Anthropic on Vertex ends with "
            "/projects/PROJECT/locations/LOCATION"
        )
    root = url[: place.start()]
    return anthropic.AsyncAnthropicVertex(
        project_id=place[1],
        region=place[2],
        access_token=token or None,
        credentials=account,
        http_client=anthropic.DefaultAsyncHttpxClient(base_url=root, **http),
        **{**shared, "base_url": root},
    )


def _google_account(spec: JudgeSpec) -> Any:
    import google.auth
    from google.auth.exceptions import GoogleAuthError

    try:
        account, _ = google.auth.default(scopes=[_SCOPE])
        _fresh_token(account)
    except GoogleAuthError as fault:
        raise AuthenticationFault(
            f"{spec.label} needs credentials that work ({str(fault)[:300]}): set "
            "GOOGLE_APPLICATION_CREDENTIALS or CLOUDSDK_AUTH_ACCESS_TOKEN, or run `gcloud auth "
            "application-default login`"
        ) from fault
    return account


def _fresh_token(account: Any) -> str:
    """Return the account's token; ask for another where it has none or it has run out."""
    from google.auth.transport.requests import Request

    with _REFRESHING:
        if not account.valid:
            account.refresh(Request())
    return str(account.token)
