import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { MAX_PARAM_NAMES, TemplateTranslation } from '../models/template.model.js';

@Resolver(() => TemplateTranslation)
@AccessByScope('document-rendering')
export class TranslationsResolver {
  @MaxItems(MAX_PARAM_NAMES, { counted: 5 })
  @ResolveField('unusedParams', () => [String], {
    nullable: 'itemsAndList',
    description: 'Dotted names that the template reads but this translation does not, sorted and unique.',
  })
  unusedParamsOf(@Parent() translation: TemplateTranslation): Promise<string[]> {
    return translation.loadUnusedParams();
  }
}
