package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"

	"platform-services/client/internal/wire"
)

const (
	// namedType: a type is at most a list in a list of what never is null.
	namedType = "name type { name ofType { name ofType { name ofType { name } } } }"
	readTypes = "{ __schema { types { name fields(includeDeprecated: true) { " + namedType + " args { " + namedType + " } } inputFields { " + namedType + " } } } }"
	// readTypesAgain: a server can be updated while its clients run.
	readTypesAgain = 10 * time.Minute
)

// serverTypes has the fields of each type of a service, and the arguments of each field as those of Type.field, with the type of each.
type serverTypes map[string]map[string]string

// olderServers keeps a newer client working with services of an older server: it asks for what they have, and says what they lack.
type olderServers struct {
	mutex sync.Mutex
	known map[string]knownTypes
}

type knownTypes struct {
	types      serverTypes
	validUntil time.Time
}

func (o *olderServers) typesOf(service string) serverTypes {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if known := o.known[service]; time.Now().Before(known.validUntil) {
		return known.types
	}
	return nil
}

func (o *olderServers) keep(service string, types serverTypes) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.known == nil {
		o.known = map[string]knownTypes{}
	}
	o.known[service] = knownTypes{types, time.Now().Add(readTypesAgain)}
}

// sent is a call as a server takes it.
type sent struct {
	fields    string
	variables map[string]any
	// isKeyed says whether the server knows of the idempotency keys.
	isKeyed bool
}

// Ask asks for all fields of an operation, or for those of them that the server has. It returns an UnsupportedError for what the caller gave or
// selected that the server does not have.
func (t *transport) Ask(ctx context.Context, asked wire.Asked) (map[string]json.RawMessage, error) {
	first := sent{asked.Fields, asked.Keyed, true}
	if types := t.older.typesOf(asked.Service); types != nil {
		first = suited(types, asked)
	}
	data, err := t.send(ctx, asked, first)
	var refused *Error
	// Nothing was done of an operation that is not valid.
	if !errors.As(err, &refused) || !isOfUnknown(refused) {
		return data, err
	}
	types, failure := t.readTypes(ctx, asked.Service)
	if failure != nil {
		return nil, failure
	}
	if lacked := lackedOf(types, asked); lacked != "" {
		return nil, t.unsupported(ctx, asked, lacked, refused)
	}
	again := suited(types, asked)
	if again.fields == first.fields && again.isKeyed == first.isKeyed {
		return nil, err // what it refused is something else
	}
	return t.send(ctx, asked, again)
}

func (t *transport) send(ctx context.Context, asked wire.Asked, own sent) (map[string]json.RawMessage, error) {
	isRepeatable := asked.IsRepeatable && (own.isKeyed || asked.Kind == "query")
	return t.call(ctx, asked.Service, asked.Document(own.fields), own.variables, isRepeatable)
}

func (t *transport) unsupported(ctx context.Context, asked wire.Asked, lacked string, refused *Error) error {
	version := ""
	// A key without queries may not ask for the version.
	if data, err := t.call(ctx, asked.Service, "{ version }", map[string]any{}, true); err == nil {
		_ = json.Unmarshal(data["version"], &version)
	}
	server := "The server"
	if version != "" {
		server = "The server, version " + version + ","
	}
	what := lacked + ": update the server"
	if lacked != asked.Name {
		what = fmt.Sprintf("%s of %s: update the server, or leave it out", lacked, asked.Name)
	}
	refusal := *refused
	refusal.Message, refusal.Field, refusal.MayHaveHappened, refusal.Cause = server+" has no "+what, lacked, false, refused
	return &UnsupportedError{ServerVersion: version, Refusal: &refusal}
}

// isOfUnknown says whether a server may have refused something because it does not know it.
func isOfUnknown(err *Error) bool {
	return err.Code == ValidationFailed || (err.Code == BadUserInput && strings.Contains(err.Message, "is not defined by type"))
}

type typeNode struct {
	Name   *string   `json:"name"`
	OfType *typeNode `json:"ofType"`
}

func (n *typeNode) innermost() string {
	if n.OfType != nil {
		return n.OfType.innermost()
	}
	return Value(n.Name)
}

type namedNode struct {
	Name string      `json:"name"`
	Type typeNode    `json:"type"`
	Args []namedNode `json:"args"`
}

func typed(named []namedNode) map[string]string {
	found := map[string]string{}
	for _, one := range named {
		found[one.Name] = one.Type.innermost()
	}
	return found
}

func (t *transport) readTypes(ctx context.Context, service string) (serverTypes, error) {
	data, err := t.call(ctx, service, readTypes, map[string]any{}, true)
	if err != nil {
		return nil, err
	}
	var schema struct {
		Types []struct {
			Name                string
			Fields, InputFields []namedNode
		}
	}
	if err := json.Unmarshal(data["__schema"], &schema); err != nil {
		return nil, err
	}
	types := serverTypes{}
	for _, one := range schema.Types {
		types[one.Name] = typed(append(one.Fields, one.InputFields...))
		for _, field := range one.Fields {
			types[one.Name+"."+field.Name] = typed(field.Args)
		}
	}
	t.older.keep(service, types)
	return types, nil
}

func rootOf(asked wire.Asked) string {
	if asked.Kind == "mutation" {
		return "Mutation"
	}
	return "Query"
}

// suited returns the call as a server takes it: with the fields that it has, and without idempotency keys where it takes none.
func suited(types serverTypes, asked wire.Asked) sent {
	root := rootOf(asked)
	own := sent{asked.Fields, asked.Keyed, true}
	if arguments, isThere := types[root+"."+asked.Name]; isThere && inputLacked(types, arguments, plain(asked.Keyed)) != "" {
		own.variables, own.isKeyed = asked.Given, false
	}
	kind, isThere := types[root][asked.Name]
	if !asked.IsSelected && asked.Fields != "" && isThere {
		fields, err := fieldsOf(asked.Fields)
		// An operation of which the server has no field is refused by name.
		if kept := types.kept(kind, fields); err == nil && kept != "" {
			own.fields = kept
		}
	}
	return own
}

// lackedOf returns the path of what a call has and the server does not, such as input.accept; the name of the operation, if it lacks that.
func lackedOf(types serverTypes, asked wire.Asked) string {
	root := rootOf(asked)
	kind, isThere := types[root][asked.Name]
	if !isThere {
		return asked.Name
	}
	if lacked := inputLacked(types, types[root+"."+asked.Name], plain(asked.Given)); lacked != "" || !asked.IsSelected {
		return lacked
	}
	fields, err := fieldsOf(asked.Fields)
	if err != nil {
		return "" // it is more than fields and arguments
	}
	return types.selectedLacked(kind, fields)
}

// plain returns the values as JSON has them.
func plain(variables map[string]any) map[string]any {
	var found map[string]any
	if text, err := json.Marshal(variables); err == nil {
		_ = json.Unmarshal(text, &found)
	}
	return found
}

// inputLacked looks through the objects and lists of an input.
func inputLacked(types serverTypes, known map[string]string, given map[string]any) string {
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		value := given[name]
		kind, isThere := known[name]
		if !isThere {
			return name
		}
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, one := range list {
			object, isObject := one.(map[string]any)
			if !isObject || len(types[kind]) == 0 {
				continue
			}
			if inner := inputLacked(types, types[kind], object); inner != "" {
				return name + "." + inner
			}
		}
	}
	return ""
}

// askedField is a field that is asked for, with the names of its arguments and the fields of its object.
type askedField struct {
	name      string
	arguments []string
	inner     []askedField
}

func (t serverTypes) selectedLacked(kind string, fields []askedField) string {
	for _, field := range fields {
		inner, isThere := t[kind][field.name]
		if !isThere {
			return field.name
		}
		for _, argument := range field.arguments {
			if _, isThere := t[kind+"."+field.name][argument]; !isThere {
				return field.name + "." + argument
			}
		}
		if further := t.selectedLacked(inner, field.inner); further != "" {
			return field.name + "." + further
		}
	}
	return ""
}

// kept writes the fields that the server has, in GraphQL.
func (t serverTypes) kept(kind string, fields []askedField) string {
	var found []string
	for _, field := range fields {
		inner, isThere := t[kind][field.name]
		if !isThere {
			continue
		}
		if len(field.inner) == 0 {
			found = append(found, field.name)
		} else if own := t.kept(inner, field.inner); own != "" {
			found = append(found, field.name+" { "+own+" }")
		}
	}
	return strings.Join(found, " ")
}

var (
	tokenOfFields = regexp.MustCompile(`"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|\.\.\.|[^\s,(){}\[\]:]+|[(){}\[\]:]`)
	nameOfField   = regexp.MustCompile(`^[_A-Za-z][_0-9A-Za-z]*$`)
	errNoFields   = errors.New("it is more than fields and arguments")
)

// fieldsOf reads what comes between the braces of a selection.
func fieldsOf(text string) ([]askedField, error) {
	reader := &fieldReader{tokens: tokenOfFields.FindAllString(text, -1)}
	fields := reader.fields()
	if reader.isWrong || len(reader.tokens) > 0 {
		return nil, errNoFields
	}
	return fields, nil
}

type fieldReader struct {
	tokens  []string
	isWrong bool
}

func (r *fieldReader) at(token string) bool { return len(r.tokens) > 0 && r.tokens[0] == token }

// next returns a brace where there is no token, which ends every loop.
func (r *fieldReader) next() string {
	if len(r.tokens) == 0 {
		r.isWrong = true
		return "}"
	}
	token := r.tokens[0]
	r.tokens = r.tokens[1:]
	return token
}

func (r *fieldReader) fields() []askedField {
	var found []askedField
	for len(r.tokens) > 0 && !r.at("}") && !r.isWrong {
		field := askedField{name: r.next()}
		if r.at(":") { // it was an alias
			r.next()
			field.name = r.next()
		}
		if !nameOfField.MatchString(field.name) {
			r.isWrong = true
		}
		if r.at("(") {
			field.arguments = r.arguments()
		}
		if r.at("{") {
			r.next()
			field.inner = r.fields()
			r.next()
		}
		found = append(found, field)
	}
	return found
}

func (r *fieldReader) arguments() []string {
	var names []string
	for depth := 0; !r.isWrong; {
		token := r.next()
		switch token {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth == 0 {
			return names
		}
		if depth == 1 && r.at(":") {
			names = append(names, token)
		}
	}
	return names
}
