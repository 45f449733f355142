package platform

import (
	"context"
	"errors"
	"strings"

	"github.com/platform-services/platform-services/clients/go/files"
	"github.com/platform-services/platform-services/clients/go/internal/wire"
)

// Tokens creates and ends access tokens for pages and devices.
type Tokens struct{ transport *transport }

// Create returns a token with a part of the rights of the key, which needs mutation:createAccessToken of a service in the scope.
func (t *Tokens) Create(ctx context.Context, input files.AccessTokenInput) (*files.AccessToken, error) {
	services := []string{}
	for _, service := range eventServices() {
		for _, entry := range input.Scope {
			if strings.HasPrefix(entry, service+"-api:") {
				services = append(services, service)
				break
			}
		}
	}
	if len(services) == 0 {
		services = eventServices()
	}
	const fields = "expiresAt filePrefix id origins recipient scope token"
	arguments := []wire.Argument{{Name: "input", Type: "AccessTokenInput!", Value: input}}
	return runFirst[*files.AccessToken](ctx, t.transport, services, wire.Operation{Name: "createAccessToken", Fields: fields}, arguments)
}

// Deny ends all tokens of a key or for a recipient, within 5 s. The key needs mutation:denyAccess of any service.
func (t *Tokens) Deny(ctx context.Context, input files.DenyAccessInput) (*files.AccessDenial, error) {
	arguments := []wire.Argument{{Name: "input", Type: "DenyAccessInput!", Value: input}}
	operation := wire.Operation{Name: "denyAccess", Fields: "deniedAt keyId recipient"}
	return runFirst[*files.AccessDenial](ctx, t.transport, eventServices(), operation, arguments)
}

// runFirst runs an operation that every service has in the first service that the key may use.
func runFirst[T any](ctx context.Context, t *transport, services []string, operation wire.Operation, arguments []wire.Argument) (T, error) {
	var result T
	var err error
	operation.Kind, operation.IsRepeatable = "mutation", true
	for _, operation.Service = range services {
		if result, err = wire.Run[T](ctx, t, operation, arguments, nil); !errors.Is(err, Forbidden) {
			break
		}
	}
	return result, err
}
