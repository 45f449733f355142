// Package wire has the parts that the generated packages are made of: how a call becomes a document, and an answer a value.
package wire

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Caller sends a document to a service, and returns the data of the answer by the names of its fields.
type Caller interface {
	Call(ctx context.Context, service, document string, variables map[string]any, isRepeatable bool) (map[string]json.RawMessage, error)
}

// Operation is one of a schema.
type Operation struct {
	Service, Kind, Name string
	// Fields to ask for unless the caller selects some; empty for a scalar.
	Fields string
	// Key is the argument, or the list in it, whose objects take an idempotency key.
	Key          string
	IsRepeatable bool
}

// Argument of a call. One whose value is nil is left out.
type Argument struct {
	Name, Type string
	Value      any
}

// Option of a call.
type Option func(*Operation)

// Select names the fields that come back, in GraphQL.
func Select(fields string) Option {
	return func(operation *Operation) { operation.Fields = fields }
}

// Run calls an operation.
func Run[T any](ctx context.Context, caller Caller, operation Operation, arguments []Argument, options []Option) (T, error) {
	for _, option := range options {
		option(&operation)
	}
	return run[T](ctx, caller, operation, arguments)
}

func run[T any](ctx context.Context, caller Caller, operation Operation, arguments []Argument) (T, error) {
	var result T
	document, variables, err := write(operation, arguments)
	if err != nil {
		return result, err
	}
	data, err := caller.Call(ctx, operation.Service, document, variables, operation.IsRepeatable)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(data[operation.Name], &result); err != nil {
		return result, fmt.Errorf("the answer to %s is not what its schema says: %w", operation.Name, err)
	}
	return result, nil
}

// write returns the document of a call with its variables.
func write(operation Operation, arguments []Argument) (string, map[string]any, error) {
	var declared, passed []string
	variables := map[string]any{}
	for _, argument := range arguments {
		if isNil(reflect.ValueOf(argument.Value)) {
			continue
		}
		declared = append(declared, fmt.Sprintf("$%s: %s", argument.Name, argument.Type))
		passed = append(passed, fmt.Sprintf("%s: $%s", argument.Name, argument.Name))
		variables[argument.Name] = argument.Value
	}
	document := operation.Kind + " " + operation.Name + inBrackets(declared) + " { " + operation.Name + inBrackets(passed)
	if operation.Fields != "" {
		document += " { " + operation.Fields + " }"
	}
	document += " }"
	if operation.Key == "" {
		return document, variables, nil
	}
	keyed, err := withKeys(variables, strings.Split(operation.Key, "."))
	return document, keyed, err
}

func inBrackets(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func isNil(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return value.IsNil()
	}
	return false
}

// withKeys gives an idempotency key to every object that has none, so that the operation can be repeated.
func withKeys(variables map[string]any, path []string) (map[string]any, error) {
	text, err := json.Marshal(variables)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // large numbers stay as they were
	var found map[string]any
	if err := decoder.Decode(&found); err != nil {
		return nil, err
	}
	place := any(found)
	for _, name := range path {
		object, _ := place.(map[string]any)
		place = object[name]
	}
	list, isList := place.([]any)
	if !isList {
		list = []any{place}
	}
	for _, one := range list {
		if object, isObject := one.(map[string]any); isObject && object["idempotencyKey"] == nil {
			object["idempotencyKey"] = NewKey()
		}
	}
	return found, nil
}

// NewKey returns an idempotency key that nobody has used.
func NewKey() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err) // the system has no random numbers
	}
	return fmt.Sprintf("%x", bytes)
}

// Marshal writes the fields of a struct that are not nil, and null for those that are named.
func Marshal(value any, nulls []string) ([]byte, error) {
	fields := map[string]any{}
	read := reflect.ValueOf(value)
	for index := 0; index < read.NumField(); index++ {
		name := read.Type().Field(index).Tag.Get("json")
		if name != "-" && !isNil(read.Field(index)) {
			fields[name] = read.Field(index).Interface()
		}
	}
	for _, name := range nulls {
		fields[name] = nil
	}
	return json.Marshal(fields)
}

// Pages walks a list, one page at a time.
type Pages[T any] struct {
	ctx       context.Context
	caller    Caller
	operation Operation
	arguments []Argument
	items     []T
	item      T
	token     *string
	isBegun   bool
	err       error
}

type page[T any] struct {
	Items     []T     `json:"items"`
	NextToken *string `json:"nextToken"`
}

// Walk begins with the first page.
func Walk[T any](ctx context.Context, caller Caller, operation Operation, arguments []Argument, options []Option) *Pages[T] {
	for _, option := range options {
		option(&operation)
	}
	operation.Fields = "items { " + operation.Fields + " } nextToken"
	return &Pages[T]{ctx: ctx, caller: caller, operation: operation, arguments: arguments}
}

// Next goes to the next item, and returns false after the last one, or when there is an error.
func (p *Pages[T]) Next() bool {
	for p.err == nil && len(p.items) == 0 && (!p.isBegun || p.token != nil) {
		given := append(append([]Argument{}, p.arguments...), Argument{Name: "nextToken", Type: "String", Value: p.token})
		found, err := run[page[T]](p.ctx, p.caller, p.operation, given)
		p.isBegun, p.items, p.token, p.err = true, found.Items, found.NextToken, err
	}
	if p.err != nil || len(p.items) == 0 {
		return false
	}
	p.item, p.items = p.items[0], p.items[1:]
	return true
}

// Item is the one that Next went to.
func (p *Pages[T]) Item() T { return p.item }

// Err says why Next returned false; nil at the end of the list.
func (p *Pages[T]) Err() error { return p.err }
