package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Code of an error, from a closed list. It is an error itself, for errors.Is(err, platform.NotFound).
type Code string

// Codes of the server, and three of the client.
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
	// ConnectionBroken: the connection could not be opened, or broke before the response.
	ConnectionBroken Code = "CONNECTION_BROKEN"
	// TimedOut: no response, or no byte, arrived in time.
	TimedOut Code = "TIMED_OUT"
	// ContentMismatch: content differs from what was sent or read before.
	ContentMismatch Code = "CONTENT_MISMATCH"
)

func (c Code) Error() string { return string(c) }

// Error is any refusal by the services, or failure to get a response.
type Error struct {
	Code    Code
	Message string
	// Field is the path of the invalid input, such as input.expiresIn.
	Field string
	// Status of HTTP; 200 for most GraphQL errors, 0 without a response.
	Status int
	// RequestID is the id of the request in the log of the server.
	RequestID string
	// RetryAfter is the wait requested by the server; negative if it requests none.
	RetryAfter time.Duration
	// MayHaveHappened is false if the server certainly did nothing.
	MayHaveHappened bool
	// Cause is the network error, if there was one.
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

// changesNothing lists the codes of an operation that changed nothing.
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

// byStatus has the codes of responses sent by a proxy in front of the services.
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
		// A refused request, or one without a server, never started.
		MayHaveHappened: response.StatusCode < 400 || (response.StatusCode >= 500 && response.StatusCode != 503),
	}
}

// errorOfAnswer returns the error of a route outside GraphQL, whose body is {"code", "message"} unless a proxy answered.
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
