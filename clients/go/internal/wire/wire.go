// Package wire has the parts of the generated packages: it turns a call into a document, and a response into a value.
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

// Caller sends a document to a service, and returns the data of the response by field name.
type Caller interface {
	Call(ctx context.Context, service, document string, variables map[string]any, isRepeatable bool) (map[string]json.RawMessage, error)
}

// Operation of a schema.
type Operation struct {
	Service, Kind, Name string
	// Fields to select by default; empty for a scalar.
	Fields string
	// Key is the path of the objects with an idempotency key: an argument, or a list in it.
	Key          string
	IsRepeatable bool
}

// Argument of a call, left out if its value is nil.
type Argument struct {
	Name, Type string
	Value      any
}

// Option of a call.
type Option func(*Operation)

// Select sets the fields to return, in GraphQL.
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

// withKeys adds an idempotency key to every object without one, so that the operation can be repeated.
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

// NewKey returns a new idempotency key.
func NewKey() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err) // the system has no random numbers
	}
	return fmt.Sprintf("%x", bytes)
}

// Marshal writes the fields of a struct that are not nil, and null for the named ones.
func Marshal(value any, nulls []string) ([]byte, error) {
	fields := map[string]any{}
	read := reflect.ValueOf(value)
	for index := 0; index < read.NumField(); index++ {
		tag := read.Type().Field(index).Tag
		name := tag.Get("json")
		if name == "-" || isNil(read.Field(index)) {
			continue
		}
		fields[name] = read.Field(index).Interface()
		if tag.Get("wire") == "json" {
			text, err := textOf(fields[name])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			fields[name] = text
		}
	}
	for _, name := range nulls {
		fields[name] = nil
	}
	return json.Marshal(fields)
}

// textOf returns a text unchanged, and any other value as JSON.
func textOf(value any) (string, error) {
	read := reflect.ValueOf(value)
	for read.Kind() == reflect.Pointer && !read.IsNil() {
		read = read.Elem()
	}
	if read.Kind() == reflect.String {
		return read.String(), nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// Pages iterates over a list, one page after another.
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

// Walk starts with the first page.
func Walk[T any](ctx context.Context, caller Caller, operation Operation, arguments []Argument, options []Option) *Pages[T] {
	for _, option := range options {
		option(&operation)
	}
	operation.Fields = "items { " + operation.Fields + " } nextToken"
	return &Pages[T]{ctx: ctx, caller: caller, operation: operation, arguments: arguments}
}

// Next advances to the next item, and returns false after the last one or on an error.
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

// Item returns the current item.
func (p *Pages[T]) Item() T { return p.item }

// Err returns why Next returned false; nil at the end of the list.
func (p *Pages[T]) Err() error { return p.err }
