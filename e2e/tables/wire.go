package main

import (
	"go/ast"
	"reflect"
	"strings"
)

// forms has the protobuf encodings that the word of a type does not determine.
var forms = map[string]string{
	"byte":                                       "bytes",
	"meta.Time":                                  "time",
	"meta.MicroTime":                             "microtime",
	"meta.FieldsV1":                              "json",
	"resource.Quantity":                          "quantity",
	"intstr.IntOrString":                         "intorstring",
	"runtime.RawExtension":                       "json",
	"apiextensions.JSON":                         "json",
	"apiextensions.JSONSchemaPropsOrArray":       "schemas",
	"apiextensions.JSONSchemaPropsOrBool":        "schemaorbool",
	"apiextensions.JSONSchemaPropsOrStringArray": "schemaorstrings",
}

// wire returns the protobuf encoding of a field, "" if it has none.
func (g *generator) wire(expr ast.Expr, in *declaration, tag reflect.StructTag) string {
	text := protobufNumber(tag)
	if text == "" {
		return ""
	}
	if _, isPointer := expr.(*ast.StarExpr); isPointer {
		text += "!"
	}
	if form := forms[g.leaf(expr, in)]; form != "" {
		text += ":" + form
	}
	return text
}

// leaf returns the name of a type, or of the element type of a list or map.
func (g *generator) leaf(expr ast.Expr, in *declaration) string {
	switch typed := expr.(type) {
	case *ast.StarExpr:
		return g.leaf(typed.X, in)
	case *ast.ArrayType:
		return g.leaf(typed.Elt, in)
	case *ast.MapType:
		return g.leaf(typed.Value, in)
	}
	name := g.named(expr, in)
	declared := g.types[name]
	if declared == nil || forms[name] != "" {
		return name
	}
	if _, isStruct := declared.spec.Type.(*ast.StructType); isStruct {
		return name
	}
	return g.leaf(declared.spec.Type, declared)
}

func protobufNumber(tag reflect.StructTag) string {
	if parts := strings.Split(tag.Get("protobuf"), ","); len(parts) > 1 {
		return parts[1]
	}
	return ""
}

// below adapts the fields of an embedded struct, which JSON inlines. The kind and version
// have no number, since they precede the object.
func below(number, part string, lines []line) []line {
	_, part, _ = strings.Cut(part, ".")
	for i := range lines {
		lines[i].in = strings.TrimSuffix(part+"."+lines[i].in, ".")
		if number == "" || lines[i].wire == "" {
			lines[i].wire = ""
		} else {
			lines[i].wire = number + "." + lines[i].wire
		}
	}
	return lines
}
