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

// wellKnown are the types whose JSON is not what their declaration says. The
// words are explained at the head of the table.
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
# "kind" says which type a kind has; "type" begins a type, with a line for each
# of its fields: name, type and what is special about it.
#
# Types: string, int32, int64, float64, bool; scalar (a time or a quantity); any
# (a scalar, an object or a list, as it comes); object (of anything); raw (the
# same, as one value); []T lists; {}T objects with keys of any name; or a type of
# the table.
#
# Server-side apply takes lists for one value unless they are a "set" or have a
# "key", and objects for fields of their own unless they are "atomic"; for a
# field, "granular" takes back what its type says. "default" is what a key is
# that is not given.
#
# Strategic merge replaces lists unless "merge" says by which key elements are
# found, or that the list is one of scalars; "retain" is the strategy
# retainKeys, "replace" the one of objects that are not merged.
#
# A field that is "always" there is in the JSON of a new, empty object as well,
# as an empty one of its type unless that is said to be null.
#
# "wire" is the field's number in protobuf, of a field of a part that JSON does
# not set apart after the number of that part. A field with "!" may be there and
# be zero, others are then not. Last comes the form, where several have one type.
#
# "go" is the field's type in Go where it is not what one would think: string,
# []T, map[string]T, or a type of a package v1. "in" names the parts that JSON
# does not set apart.
`

// extraKinds have no resource of their own.
var extraKinds = []schema.GroupVersionKind{{Group: "autoscaling", Version: "v1", Kind: "Scale"}}

// generator walks the types that can be reached from the kinds.
type generator struct {
	*source
	todo []string
	done map[string][]line // the lines of each type, the first its own
	// keys are the fields by which elements of lists are found, as type.field.
	keys map[string]bool
}

// line of the table. The default of a field matters only if it is a key.
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

// newGenerator walks all types; roots are the lines of the kinds.
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

// structure is a struct's own line and those of its fields.
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
	if goType == guessed(typ) || isFormOfItsOwn[typ] {
		goType = ""
	}
	fallback, written := literal(doc.last("default"))
	if !written && !isPointer && !strings.Contains(options, "omitempty") {
		fallback = zeros[typ]
	}
	return line{text: text, field: name, fallback: fallback, wire: g.wire(field.Type, g.types[of], tag), goType: goType}, nil
}

// isAlwaysWritten: omitempty does nothing to structs.
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

// zeros are the defaults of fields that are always written.
var zeros = map[string]string{"string": `""`, "int32": "0", "int64": "0", "float64": "0", "bool": "false"}

// relation is what server-side apply makes of a list, with the keys of its
// elements. Where no marker says so, the strategy for patches does.
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

// typeOf says in the words of the table what the JSON of a type is.
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
	return "", fmt.Errorf("no word for a %T", expr)
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

// named is the table's name of a type that is named in a file.
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
