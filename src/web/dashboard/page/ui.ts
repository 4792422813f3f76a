import type { VNode } from 'preact'
import { fromRoot } from '../../../pages/page/dom.ts'

// The libraries are served as they are published: modules without imports, so that nothing is bundled.
const served = (name: string): Promise<unknown> => import(fromRoot(`dashboard/${name}.js`).href)

export const { h, render, createPortal, Component } = (await served('preact')) as typeof import('preact')

const { default: htm } = (await served('htm')) as typeof import('htm')

/** Creates elements from a template. Values are never parsed as HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode
