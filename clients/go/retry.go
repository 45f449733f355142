package platform

import (
	"context"
	"errors"
	"math/rand"
	"time"
)

const (
	firstPause   = 250 * time.Millisecond
	longestPause = 20 * time.Second
	// longestWait is the maximum wait before a retry. If the server requests more, its error is returned.
	longestWait = 90 * time.Second
)

// pauseAfter grows with the failures. Half of it is random, so that clients that failed together do not return together.
func pauseAfter(failures int, longest time.Duration) time.Duration {
	whole := longest
	if failures < 20 && firstPause<<failures < longest {
		whole = firstPause << failures
	}
	return whole/2 + time.Duration(rand.Int63n(int64(whole/2)+1))
}

// isPassing returns whether the same request may succeed later.
func isPassing(err *Error) bool {
	switch err.Code {
	case RateLimited:
		return err.RetryAfter >= 0
	case ServiceUnavailable, ConnectionBroken, TimedOut:
		return true
	}
	return err.Status == 408
}

func passes(err *Error, _ int) bool { return isPassing(err) }

// passesWithNewAddress also retries a first 403: a URL may have expired while it waited, and the next attempt has a new one.
func passesWithNewAddress(err *Error, failures int) bool {
	return isPassing(err) || (err.Code == Forbidden && failures == 0)
}

// retrying retries until success, pausing longer after each failure and at least as long as the server asks. It returns the last failure.
func retrying[T any](ctx context.Context, retries int, mayRepeat func(*Error, int) bool, attempt func(failures int) (T, error)) (T, error) {
	for failures := 0; ; failures++ {
		result, err := attempt(failures)
		var own *Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &own) {
			return result, err
		}
		if failures >= retries || own.RetryAfter > longestWait || !mayRepeat(own, failures) {
			return result, err
		}
		pause := pauseAfter(failures, longestPause)
		if own.RetryAfter > pause {
			pause = own.RetryAfter
		}
		if !sleep(ctx, pause) {
			return result, ctx.Err()
		}
	}
}

// sleep returns false if the context ended before.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
