"""The errors of the assistant.
- ServiceError (servicekit)
  - InvalidPayload: the question is too long, or the language is unknown
  - QuestionOffTopic: the question asks nothing about land
  - AssistantDenied: the key's policy does not allow the assistant
"""

import grpc

from servicekit.errors import ServiceError
from servicekit.rpc_errors import StatusTable


class QuestionOffTopic(ServiceError):
    code = "question_off_topic"


class AssistantDenied(ServiceError):
    code = "assistant_denied"


STATUSES: StatusTable = {
    QuestionOffTopic: grpc.StatusCode.INVALID_ARGUMENT,
    AssistantDenied: grpc.StatusCode.PERMISSION_DENIED,
}
