package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/kinds"
)

// wellKnown has the types whose JSON differs from their declaration. The head of the table
// explains the words.
var wellKnown = map[string]string{
	"meta.Time":                                  "scalar",
	"meta.MicroTime":                             "scalar",
	"meta.Duration":                              "string",
	"meta.FieldsV1":                              "object",
	"resource.Quantity":                          "scalar",
	"intstr.IntOrString":                         "any",
	"runtime.RawExtension":                       "raw",
	"apiextensions.JSON":                         "any",
	"apiextensions.JSONSchemaPropsOrArray":       "any",
	"apiextensions.JSONSchemaPropsOrBool":        "any",
	"apiextensions.JSONSchemaPropsOrStringArray": "any",
}

var basic = map[string]string{
	"string": "string", "bool": "bool", "float64": "float64", "int32": "int32", "int64": "int64",
}

// head explains the table to its reader.
const head = `# How objects of the built-in kinds are merged. Written by
#
#	go -C e2e run ./tables
#
# from %s
#
# A "kind" line has the type of a kind. A "type" line begins a type. A line for each of
# its fields follows: its name, its type and its properties.
#
# Types: string, int32, int64, float64, bool; scalar (a time or a quantity); any (any
# JSON value); object (any JSON object); raw (any JSON object that is one opaque
# value); []T (a list); {}T (an object with arbitrary keys); or a type of the table.
#
# Server-side apply treats a list as one value, unless it is a "set" or has a "key". It
# manages each field of an object separately, unless the object is "atomic"; "granular"
# at a field overrides the property of its type. "default" is the default value of a
# field that is a key.
#
# Strategic merge replaces a list, unless it has "merge". "merge=key" merges elements
# with the same key, and "merge" without a key merges a list of scalars. "retain" is the
# strategy retainKeys, and "replace" is the strategy of objects that are not merged.
#
# A field with "always" is also in the JSON of an empty object, with the zero value of
# its type, or with null if it is "always=null".
#
# "wire" is the number of the field in protobuf. If JSON inlines an embedded struct, the
# number of that struct precedes it: 1.20. "!" means that the field is optional: it is
# written if it is set, even to zero. A form follows if the type has several encodings:
# 3!:time.
#
# "go" is the Go type of the field, if it is not the usual one for its type: string, []T,
# map[string]T, or a type of a package v1. "in" has the names of the embedded structs
# that contain the field.
`

// extraKinds are kinds without their own resource.
var extraKinds = []schema.GroupVersionKind{{Group: "autoscaling", Version: "v1", Kind: "Scale"}}

// generator visits the types that can be reached from the kinds.
type generator struct {
	*source
	todo []string
	done map[string][]line // the lines of each type; the first is that of the type
	// keys has the fields that identify elements of lists, as type.field.
	keys map[string]bool
}

// line is a line of the table. The default of a field matters only if it is a key.
type line struct{ text, field, fallback, wire, goType, in string }

func generate() ([]byte, error) {
	src, err := readSource()
	if err != nil {
		return nil, err
	}
	g, roots, err := newGenerator(src)
	if err != nil {
		return nil, err
	}
	return g.write(roots), nil
}

// newGenerator visits all types. It returns the lines of the kinds as roots.
func newGenerator(src *source) (g *generator, roots []string, err error) {
	g = &generator{source: src, done: map[string][]line{}, keys: map[string]bool{}}
	all := slices.Clone(extraKinds)
	for _, resource := range kinds.Builtin() {
		all = append(all, resource.GroupVersionKind())
	}
	for _, kind := range all {
		short, _, _ := strings.Cut(kind.Group, ".")
		if short == "" {
			short = "core"
		}
		name := short + "." + kind.Kind
		roots = append(roots, fmt.Sprintf("kind %s %s %s", kind.GroupVersion(), kind.Kind, name))
		g.todo = append(g.todo, name)
	}
	for len(g.todo) > 0 {
		name := g.todo[0]
		g.todo = g.todo[1:]
		if g.done[name] != nil {
			continue
		}
		if g.done[name], err = g.structure(name); err != nil {
			return nil, nil, err
		}
	}
	return g, roots, nil
}

func (g *generator) write(roots []string) []byte {
	var out bytes.Buffer
	slices.Sort(roots)
	slices.Sort(g.modules)
	fmt.Fprintf(&out, head, strings.Join(g.modules, ", "))
	fmt.Fprintf(&out, "\n%s\n", strings.Join(roots, "\n"))
	for _, name := range slices.Sorted(maps.Keys(g.done)) {
		out.WriteByte('\n')
		for _, line := range g.done[name] {
			out.WriteString(line.text)
			if line.fallback != "" && g.keys[name+"."+line.field] {
				out.WriteString(" default=" + line.fallback)
			}
			if line.wire != "" {
				out.WriteString(" wire=" + line.wire)
			}
			if line.goType != "" {
				out.WriteString(" go=" + line.goType)
			}
			if line.in != "" {
				out.WriteString(" in=" + line.in)
			}
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

// structure returns the line of a struct and those of its fields.
func (g *generator) structure(name string) ([]line, error) {
	declared := g.types[name]
	if declared == nil {
		return nil, fmt.Errorf("no source declares the type %s", name)
	}
	own := "type " + name
	if relation := declared.doc.last("structType"); relation != "" {
		own += " " + relation
	}
	fields, err := g.fields(name)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(fields, func(a, b line) int { return strings.Compare(a.field, b.field) })
	return append([]line{{text: own}}, fields...), nil
}

func (g *generator) fields(name string) (lines []line, err error) {
	declared := g.types[name]
	structure, ok := declared.spec.Type.(*ast.StructType)
	if !ok {
		return nil, fmt.Errorf("%s is not a struct", name)
	}
	for _, field := range structure.Fields.List {
		var tag reflect.StructTag
		if field.Tag != nil {
			text, _ := strconv.Unquote(field.Tag.Value)
			tag = reflect.StructTag(text)
		}
		member, options, _ := strings.Cut(tag.Get("json"), ",")
		if member == "-" {
			continue
		}
		if len(field.Names) == 0 && member == "" {
			part := g.named(field.Type, declared)
			inlined, err := g.fields(part)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			lines = append(lines, below(protobufNumber(tag), part, inlined)...)
			continue
		}
		described, err := g.field(name, member, options, tag, field)
		if err != nil {
			return nil, err
		}
		lines = append(lines, described)
	}
	return lines, nil
}

func (g *generator) field(of, name, options string, tag reflect.StructTag, field *ast.Field) (line, error) {
	var doc markers
	doc.add(field.Doc)
	typ, err := g.typeOf(field.Type, g.types[of])
	if err != nil {
		return line{}, fmt.Errorf("%s.%s: %w", of, name, err)
	}
	text := "\t" + name + " " + typ
	strategies := strings.Split(tag.Get("patchStrategy"), ",")
	mergeKey := tag.Get("patchMergeKey")
	if element, ok := strings.CutPrefix(typ, "[]"); ok {
		word, keys := relation(doc, strategies, mergeKey)
		text += word
		for _, key := range keys {
			g.keys[element+"."+key] = true
		}
	} else if relation := doc.last("mapType") + doc.last("structType"); relation != "" {
		text += " " + relation
	}
	for _, strategy := range strategies {
		switch strategy {
		case "":
		case "merge":
			text += " merge"
			if mergeKey != "" {
				text += "=" + mergeKey
			}
		case "replace":
			text += " replace"
		case "retainKeys":
			text += " retain"
		default:
			return line{}, fmt.Errorf("%s.%s: unknown patch strategy %q", of, name, strategy)
		}
	}
	_, isPointer := field.Type.(*ast.StarExpr)
	if g.isAlwaysWritten(field.Type, g.types[of], options) {
		text += " always"
		if isPointer {
			text += "=null"
		}
	}
	goType := g.goType(field.Type, g.types[of])
	if goType == guessed(typ) || notInErrorMessages[typ] {
		goType = ""
	}
	fallback, written := literal(doc.last("default"))
	if !written && !isPointer && !strings.Contains(options, "omitempty") {
		fallback = zeros[typ]
	}
	return line{text: text, field: name, fallback: fallback, wire: g.wire(field.Type, g.types[of], tag), goType: goType}, nil
}

// isAlwaysWritten reports whether a field is in the JSON of an empty object. omitempty has
// no effect on structs.
func (g *generator) isAlwaysWritten(expr ast.Expr, in *declaration, options string) bool {
	if strings.Contains(options, "omitzero") {
		return false
	}
	if !strings.Contains(options, "omitempty") {
		return true
	}
	declared := g.types[g.named(expr, in)]
	if declared == nil {
		return false
	}
	_, isStruct := declared.spec.Type.(*ast.StructType)
	return isStruct
}

// zeros has the defaults of fields that are always written.
var zeros = map[string]string{"string": `""`, "int32": "0", "int64": "0", "float64": "0", "bool": "false"}

// relation returns how server-side apply merges a list, with the keys of its elements.
// Without a marker it follows from the patch strategy.
func relation(doc markers, strategies []string, mergeKey string) (word string, keys []string) {
	switch doc.last("listType") {
	case "map":
		keys = doc.all("listMapKey")
	case "set":
		return " set", nil
	case "":
		if !slices.Contains(strategies, "merge") {
			return "", nil
		}
		if mergeKey == "" {
			return " set", nil
		}
		keys = []string{mergeKey}
	default:
		return "", nil
	}
	return " key=" + strings.Join(keys, ","), keys
}

// typeOf returns the JSON type of a Go type in the words of the table.
func (g *generator) typeOf(expr ast.Expr, in *declaration) (string, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return g.typeOf(expr.X, in)
	case *ast.ArrayType:
		if name := g.named(expr.Elt, in); name == "byte" {
			return "string", nil
		}
		element, err := g.typeOf(expr.Elt, in)
		return "[]" + element, err
	case *ast.MapType:
		element, err := g.typeOf(expr.Value, in)
		return "{}" + element, err
	case *ast.Ident, *ast.SelectorExpr:
		return g.reference(g.named(expr, in))
	}
	return "", fmt.Errorf("the table has no word for a %T", expr)
}

func (g *generator) reference(name string) (string, error) {
	if word := basic[name]; word != "" {
		return word, nil
	}
	if word := wellKnown[name]; word != "" {
		return word, nil
	}
	declared := g.types[name]
	if declared == nil {
		return "", fmt.Errorf("no source declares the type %s", name)
	}
	if _, ok := declared.spec.Type.(*ast.StructType); ok {
		g.todo = append(g.todo, name)
		return name, nil
	}
	return g.typeOf(declared.spec.Type, declared)
}

// named returns the table's name of a type.
func (g *generator) named(expr ast.Expr, in *declaration) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		if _, ok := basic[expr.Name]; ok || expr.Name == "byte" {
			return expr.Name
		}
		return in.pkg + "." + expr.Name
	case *ast.SelectorExpr:
		path := in.imports[expr.X.(*ast.Ident).Name]
		return packages[path] + "." + expr.Sel.Name
	}
	return ""
}
