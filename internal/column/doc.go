// Package column evaluates the additionalPrinterColumns of a
// CustomResourceDefinition.
//
//	column of the definition ──► Cell() ──► func(object) ──► cell, or nil
//
// A column has a path, which is parsed once, and a type. The cell is nil if the
// value has another type. The supported paths are the simple ones that columns
// use, such as .spec.ports[0].name and
// .status.conditions[?(@.type=="Ready")].status. The cell of any other path that
// the real server's JSONPath supports, such as ranges and unions, is nil.
package column
