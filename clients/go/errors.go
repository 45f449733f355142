package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Code of an error, of a closed list. It is an error itself, for errors.Is(err, platform.NotFound).
type Code string

// The codes of the server, and three of the client's own.
const (
	BadRequest         Code = "BAD_REQUEST"
	ParseFailed        Code = "GRAPHQL_PARSE_FAILED"
	ValidationFailed   Code = "GRAPHQL_VALIDATION_FAILED"
	BadUserInput       Code = "BAD_USER_INPUT"
	Unauthenticated    Code = "UNAUTHENTICATED"
	Forbidden          Code = "FORBIDDEN"
	NotFound           Code = "NOT_FOUND"
	Conflict           Code = "CONFLICT"
	FailedPrecondition Code = "FAILED_PRECONDITION"
	PayloadTooLarge    Code = "PAYLOAD_TOO_LARGE"
	RateLimited        Code = "RATE_LIMITED"
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE"
	InternalError      Code = "INTERNAL_SERVER_ERROR"
	// ConnectionBroken: the connection could not be opened, or broke before the answer.
	ConnectionBroken Code = "CONNECTION_BROKEN"
	// TimedOut: no answer, or no byte, came in time.
	TimedOut Code = "TIMED_OUT"
	// ContentMismatch: content is not what it was, or not what was sent.
	ContentMismatch Code = "CONTENT_MISMATCH"
)

func (c Code) Error() string { return string(c) }

// Error is anything that the services refuse, or that keeps a request from its answer.
type Error struct {
	Code    Code
	Message string
	// Field is the input that is wrong, such as input.expiresIn.
	Field string
	// Status of HTTP; 200 for most refusals of GraphQL, 0 without an answer.
	Status int
	// RequestID names the request in the log of the server.
	RequestID string
	// RetryAfter is how long the server asks to wait; negative where it does not say.
	RetryAfter time.Duration
	// MayHaveHappened is false when the server certainly did nothing with the request.
	MayHaveHappened bool
	// Cause is a fault of the network, where there was one.
	Cause error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is compares with a code.
func (e *Error) Is(target error) bool {
	code, isCode := target.(Code)
	return isCode && code == e.Code
}

// changesNothing has the codes of an operation that did nothing.
var changesNothing = map[Code]bool{
	BadRequest:         true,
	ParseFailed:        true,
	ValidationFailed:   true,
	BadUserInput:       true,
	Unauthenticated:    true,
	Forbidden:          true,
	NotFound:           true,
	Conflict:           true,
	FailedPrecondition: true,
	RateLimited:        true,
}

// byStatus has the codes of answers that something in front of the services gave.
var byStatus = map[int]Code{
	401: Unauthenticated,
	403: Forbidden,
	404: NotFound,
	409: Conflict,
	410: NotFound,
	412: FailedPrecondition,
	413: PayloadTooLarge,
	429: RateLimited,
	502: ServiceUnavailable,
	503: ServiceUnavailable,
	504: ServiceUnavailable,
}

func ownError(code Code, cause error, format string, values ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...), RetryAfter: -1, MayHaveHappened: true, Cause: cause}
}

func refusal(code Code, message string, response *http.Response) *Error {
	after := time.Duration(-1)
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		after = time.Duration(seconds) * time.Second
	}
	return &Error{
		Code:       code,
		Message:    message,
		Status:     response.StatusCode,
		RequestID:  response.Header.Get("X-Request-Id"),
		RetryAfter: after,
		// A request that is refused, or has no server, was not begun.
		MayHaveHappened: response.StatusCode < 400 || (response.StatusCode >= 500 && response.StatusCode != 503),
	}
}

// errorOfAnswer is that of a route outside of GraphQL, whose body is {"code", "message"} unless something in front answered.
func errorOfAnswer(response *http.Response, body []byte) *Error {
	var own struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &own) == nil && own.Code != "" && own.Message != "" {
		return refusal(own.Code, own.Message, response)
	}
	code, isKnown := byStatus[response.StatusCode]
	if !isKnown {
		code = BadRequest
		if response.StatusCode >= 500 {
			code = InternalError
		}
	}
	return refusal(code, fmt.Sprintf("The server answered with status %d", response.StatusCode), response)
}
